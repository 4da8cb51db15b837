"""How much of the server one request, and all of them together, may take."""

import asyncio
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.api.problems import problem


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """`seconds` is the time until a response begins, `at_once` counts the requests that wait for theirs."""

    body_bytes: int = 1 << 20
    seconds: float = 30.0
    at_once: int = 64


class LimitRequests:
    """Answers 413, 503 or 503 in place of a request that is too large, too slow, or one too many."""

    def __init__(self, app: ASGIApp, limits: RequestLimits) -> None:
        self._app = app
        self._limits = limits
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on within the limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._announced(scope) > self._limits.body_bytes:
            await self._too_large()(scope, receive, send)
            return
        if self._waiting >= self._limits.at_once:
            many = problem(503, "too many requests are under way.", "Ask again in a moment.")
            await many(scope, receive, send)
            return
        self._waiting += 1
        begun = False
        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._limits.body_bytes:
                raise HTTPException(413, self._why())
            return message

        try:
            async with asyncio.timeout(self._limits.seconds) as deadline:

                async def beginning(message: Message) -> None:
                    nonlocal begun
                    if not begun:
                        # From here on the client sets the pace: of a download, or of a job that it follows.
                        begun = True
                        self._waiting -= 1
                        deadline.reschedule(None)
                    await send(message)

                await self._app(scope, bounded, beginning)
        except TimeoutError:
            if begun:
                raise
            slow = problem(503, f"this took longer than {self._limits.seconds:g} seconds.", "Ask for less.")
            await slow(scope, receive, send)
        finally:
            if not begun:
                self._waiting -= 1

    def _announced(self, scope: Scope) -> int:
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit():
                return int(value[:20])
        return 0

    def _too_large(self) -> ASGIApp:
        return problem(413, self._why())

    def _why(self) -> str:
        return f"the body is larger than {self._limits.body_bytes:,} bytes."
