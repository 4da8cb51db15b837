"""A scripted model that knows the gold items: it gives the right reply to each, or the wrong one."""

from collections.abc import Collection

from services.preflight.asking import gold_request
from services.preflight.gold import gold_prompts, read_gold, reply_text
from tests.scripted_endpoint import Answer, Asked, Responder, Said, Status


def gold_responder(wrong: Collection[str] = (), otherwise: Responder | None = None) -> Responder:
    """Answers gold items, those of the prompts in `wrong` wrongly; `otherwise` gets what is no gold item."""
    replies: dict[tuple[str, ...], Answer] = {}
    for prompt in gold_prompts():
        for item in read_gold(prompt):
            request = gold_request(item)
            texts = tuple(one.content for one in request.messages if one.role != "system")
            reply = reply_text(item.wrong if prompt in wrong else item.right, request)
            if request.tools:
                assert isinstance(reply, dict)
                calls = tuple((one["name"], one["arguments"]) for one in reply["calls"])
                replies[prompt, *texts] = Said(reply["text"], calls=calls)
            else:
                assert isinstance(reply, str | dict)
                replies[prompt, *texts] = reply

    by_text: dict[tuple[str, ...], list[str]] = {}
    for prompt, *said in replies:
        by_text.setdefault(tuple(said), []).append(prompt)
    systems = {prompt: gold_request(read_gold(prompt)[0]).messages[0].content for prompt in gold_prompts()}

    def respond(request: Asked) -> Answer | Status:
        asked = tuple(content for role, content in request.messages if role != "system")
        for prompt in by_text.get(asked, ()):
            if request.system.startswith(systems[prompt][:200]):
                return replies[prompt, *asked]
        if otherwise is None:
            raise AssertionError(f"no gold item is asked like this: {asked}")
        return otherwise(request)

    return respond
