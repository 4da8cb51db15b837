"""HEAD for everything that can be read: the headers of the answer to GET, without its body."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class AnswerHead:
    """Asks the application for what GET gets, and sends no more of it than its headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, as GET where it is HEAD."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        # A scope of its own: the HTTP server goes by the method that it was sent.
        reading = {**scope, "method": "GET"}
        ended = False

        async def without_body(message: Message) -> None:
            nonlocal ended
            if message["type"] == "http.response.start":
                await send(message)
            elif not ended:
                # The first piece ends it: a job's events would go on.
                ended = True
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        try:
            await self._app(reading, receive, without_body)
        finally:
            if "route" in reading:
                scope["route"] = reading["route"]
