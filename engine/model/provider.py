"""A model behind the `openai` SDK at any base URL: Chat Completions or Responses, one try a call."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.ports import CallFailed, Reply, Request, Usage
from engine.strict import fields

CURE = "Install it with: pip install 'rulecard[openai]'"


@dataclass(frozen=True)
class Provider:
    """`environ` holds the key under the name `key`: it is read when it is needed, and never shown.

    `api`: `chat` or `responses`. Asks once: ladders say what is tried again. Raises CallFailed.
    """

    name: str
    key: str
    environ: Mapping[str, str]
    base_url: str | None = None
    api: str = "chat"
    _clients: weakref.WeakKeyDictionary[Any, Any] = field(default_factory=weakref.WeakKeyDictionary, repr=False)

    async def ask(self, request: Request) -> Reply:
        """One request. The time is the whole call's, however slowly its bytes come."""
        client = self._client()
        call = _chat if self.api == "chat" else _responses
        import openai

        try:
            async with asyncio.timeout(request.seconds):
                return await call(client, self.name, request)
        except TimeoutError:
            raise CallFailed("timeout", f"No whole answer within {request.seconds:.3g} s.") from None
        except openai.OpenAIError as error:
            raise _failed(error) from None
        except ValueError:
            raise CallFailed("server_error", "The service's answer is no JSON.") from None

    async def close(self) -> None:
        """Close the connections of the running loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    def _client(self) -> Any:
        try:
            from openai import AsyncOpenAI
        except ImportError:
            raise CallFailed("unavailable", f"The package `openai` is not installed. {CURE}") from None
        key = self.environ.get(self.key, "") if self.key else "none"
        if not key:
            raise CallFailed("wrong_key", f"The environment has no {self.key}.")
        loop = asyncio.get_running_loop()
        if loop not in self._clients:  # a connection belongs to the loop that opened it
            self._clients[loop] = AsyncOpenAI(api_key=key, base_url=self.base_url, max_retries=0)
        return self._clients[loop]


async def _chat(client: Any, model: str, request: Request) -> Reply:
    messages = [{"role": "system", "content": request.system}]
    messages += [{"role": role, "content": text} for role, text in request.turns]
    form = {"name": request.question, "strict": True, "schema": dict(request.schema)}
    got = await client.chat.completions.create(
        model=model, messages=messages, response_format={"type": "json_schema", "json_schema": form},
        timeout=request.seconds, **_limits(request, "max_completion_tokens"),
    )  # fmt: skip
    usage = _usage(got.usage, "prompt_tokens", "completion_tokens", "prompt_tokens_details")
    if not got.choices:
        raise CallFailed("empty", "The service gave no answer.")
    choice = got.choices[0]
    message, text = choice.message, choice.message.content or ""
    if choice.finish_reason == "length":
        empty = not text.strip()
        raise CallFailed("empty" if empty else "cut_off", "The answer was cut off at its token limit.", text)
    if choice.finish_reason == "content_filter" or message.refusal:
        raise CallFailed("refused", "The model or its filter refused.", text)
    if message.tool_calls or choice.finish_reason in ("tool_calls", "function_call"):
        raise CallFailed("tool_call", "The model called a tool instead of answering.", text)
    return Reply(fields(text, request.schema), text, got.model or model, usage)


async def _responses(client: Any, model: str, request: Request) -> Reply:
    form = {"type": "json_schema", "name": request.question, "strict": True, "schema": dict(request.schema)}
    turns = [{"role": role, "content": text} for role, text in request.turns]
    got = await client.responses.create(
        model=model, instructions=request.system, input=turns, text={"format": form}, store=False,
        timeout=request.seconds, **_limits(request, "max_output_tokens"),
    )  # fmt: skip
    usage = _usage(got.usage, "input_tokens", "output_tokens", "input_tokens_details")
    parts = [part for item in got.output or () if item.type == "message" for part in item.content]
    text = "".join(part.text for part in parts if part.type == "output_text")
    if got.status == "incomplete":
        why = got.incomplete_details.reason if got.incomplete_details else ""
        if why == "content_filter":
            raise CallFailed("refused", "The service's filter refused.", text)
        raise CallFailed("cut_off" if text.strip() else "empty", "The answer was cut off at its token limit.", text)
    if got.status not in ("completed", None):
        raise CallFailed("service_error", f"The service ended the call as {got.status}.", text)
    if any(part.type == "refusal" for part in parts):
        raise CallFailed("refused", "The model refused.", text)
    if any(item.type.endswith("_call") for item in got.output or ()):
        raise CallFailed("tool_call", "The model called a tool instead of answering.", text)
    return Reply(fields(text, request.schema), text, got.model or model, usage)


def _limits(request: Request, tokens: str) -> dict[str, Any]:
    asked: dict[str, Any] = {"prompt_cache_key": request.cache_key or None, "temperature": request.temperature,
                             tokens: request.max_tokens}  # fmt: skip
    return {name: value for name, value in asked.items() if value is not None}


def _usage(usage: Any, prompt: str, answer: str, details: str) -> Usage:
    cached = getattr(getattr(usage, details, None), "cached_tokens", None) or 0
    return Usage(getattr(usage, prompt, None) or 0, cached, getattr(usage, answer, None) or 0)


def _failed(error: Exception) -> CallFailed:
    """The class of an error of the SDK. Its own message may quote the request or the key, so it is not kept."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return CallFailed("timeout", "The service did not answer in time.")
    if isinstance(error, openai.APIConnectionError):
        return CallFailed("network", "The service cannot be reached.")
    if isinstance(error, openai.APIStatusError):
        status = error.status_code
        says = f"The service answered with status {status}."
        if status in (401, 403):
            return CallFailed("wrong_key", says)
        if status == 429:
            return CallFailed("too_many", says, retry_after=_retry_after(error.response.headers))
        if status in (408, 504):
            return CallFailed("timeout", says)
        if getattr(error, "code", None) == "context_length_exceeded" or status == 413:
            return CallFailed("too_long", says)
        if status >= 500:
            return CallFailed("service_error" if status in (502, 503, 529) else "server_error", says)
        return CallFailed("unknown", says)
    if isinstance(error, openai.APIResponseValidationError):
        return CallFailed("server_error", "The service's answer has not the form of the API.")
    return CallFailed("unknown", f"{type(error).__name__} was raised.")


def _retry_after(headers: Any) -> float | None:
    try:
        return max(0.0, float(headers.get("retry-after", "")))
    except ValueError:
        return None
