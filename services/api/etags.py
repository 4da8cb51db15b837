"""ETags: a client that has the newest answer already gets none again."""

from hashlib import blake2b

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TAGGED = ("application/json", "text/html")


class TagAnswers:
    """Gives whole answers to GET a tag of their content, and answers 304 to who has that tag."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, and tag its answer."""
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        known = Headers(scope=scope).get("if-none-match", "")
        start: Message | None = None

        async def tagged(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _taggable(message):
                start = message
                return
            if start is not None:
                first, start = start, None
                if not message.get("more_body", False):
                    message = _with_tag(first, message, known)
                await send(first)
            await send(message)

        await self._app(scope, receive, tagged)


def _taggable(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return (
        start["status"] == 200
        and headers.get("content-type", "").startswith(TAGGED)
        and "etag" not in headers
        and headers.get("cache-control") != "no-store"
    )


def _with_tag(start: Message, body: Message, known: str) -> Message:
    """Put the tag into the headers; the body to send, which is empty where the tag is known."""
    tag = f'"{blake2b(body.get("body", b""), digest_size=16).hexdigest()}"'
    headers = MutableHeaders(raw=start["headers"])
    headers["ETag"] = tag
    headers.setdefault("Cache-Control", "private, no-cache")
    if known != "*" and tag not in (part.strip().removeprefix("W/") for part in known.split(",")):
        return body
    start["status"] = 304
    del headers["content-length"]
    del headers["content-type"]
    return {"type": "http.response.body", "body": b"", "more_body": False}
