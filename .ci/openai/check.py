"""Checks docent with the Python clients of OpenAI's API. Run .ci/openai-clients."""

import os

import litellm
import openai
from langchain_openai import ChatOpenAI, OpenAIEmbeddings

BASE, TOKEN = os.environ["BASE"], os.environ["TOKEN"]
QUESTION = "When does the pump stop?"
ASKED = [{"role": "user", "content": QUESTION}]


def check(name, ok, got=None):
    print("ok  " if ok else "FAIL", name)
    if not ok:
        raise SystemExit(f"{name}: {got!r}")


def citation(annotation):
    data = annotation if isinstance(annotation, dict) else annotation.model_dump()
    data = data.get("url_citation", data)
    return data["title"], data["url"].startswith("http"), data["end_index"] - data["start_index"]


def refused(name, kind, code, call):
    try:
        call()
    except kind as error:
        check(name, error.code == code, error)
    else:
        check(name, False, "no error")


def check_openai():
    client = openai.OpenAI(base_url=BASE, api_key=TOKEN)
    create = client.chat.completions.create
    names = [m.id for m in client.models.list()]
    check("openai: models", names == ["docent", "docent/default"], names)
    check("openai: one model", client.models.retrieve("docent/default").id == "docent/default")
    reply = create(model="docent", messages=ASKED)
    message = reply.choices[0].message
    check("openai: chat", "noon" in message.content and reply.choices[0].finish_reason == "stop", reply)
    check("openai: annotations", citation(message.annotations[0]) == ("Pump", True, 3), message.annotations)
    check("openai: docent", reply.model_extra["docent"]["docs"][0]["metadata"]["title"] == "Pump", reply.model_extra)
    check("openai: usage", reply.usage.total_tokens == 0, reply.usage)
    chunks = list(create(model="docent", messages=ASKED, stream=True, stream_options={"include_usage": True}))
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    check("openai: stream", text == message.content and chunks[-1].usage is not None, chunks)
    check("openai: stream with annotations", citation(chunks[-2].choices[0].delta.annotations[0]) == ("Pump", True, 3), chunks)
    with client.chat.completions.stream(model="docent", messages=ASKED) as stream:
        check("openai: stream helper", stream.get_final_completion().choices[0].message.content == text)
    follow = [*ASKED, {"role": "assistant", "content": text}, {"role": "user", "content": "How much water does it move?"}]
    check("openai: follow-up", "30 litres" in create(model="docent/default", messages=follow).choices[0].message.content)
    check("openai: stop", create(model="docent", messages=ASKED, stop=[" noon"]).choices[0].message.content == text.split(" noon")[0])
    for _ in range(2):
        said = create(model="docent", messages=ASKED, metadata={"session_id": "check-session"})
    check("openai: session", "noon" in said.choices[0].message.content, said)
    response = client.responses.create(model="docent", input=QUESTION)
    check("openai: responses", response.output_text == text and response.status == "completed", response)
    check("openai: responses with annotations", citation(response.output[0].content[0].annotations[0]) == ("Pump", True, 3), response)
    with client.responses.stream(model="docent", input=QUESTION) as stream:
        kinds = [e.type for e in stream]
        check("openai: responses stream", stream.get_final_response().output_text == text, kinds)
    vectors = client.embeddings.create(model="docent", input=["pump", "water"]).data
    check("openai: embeddings", len(vectors) == 2 and abs(sum(x * x for x in vectors[1].embedding) - 1) < 1e-3)
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    refused("openai: tools", openai.BadRequestError, "unsupported_parameter", lambda: create(model="docent", messages=ASKED, tools=[tool]))
    refused("openai: n", openai.BadRequestError, "unsupported_parameter", lambda: create(model="docent", messages=ASKED, n=2))
    refused("openai: unknown model", openai.NotFoundError, "model_not_found", lambda: create(model="docent/secret", messages=ASKED))
    stranger = openai.OpenAI(base_url=BASE, api_key="wrong")
    refused("openai: wrong key", openai.AuthenticationError, "invalid_api_key", stranger.models.list)


def check_langchain():
    model = ChatOpenAI(base_url=BASE, api_key=TOKEN, model="docent", temperature=0)
    text = model.invoke(QUESTION).content
    check("langchain-openai: invoke", "noon" in text, text)
    check("langchain-openai: stream", "".join(c.content for c in model.stream([("system", "Be brief."), ("user", QUESTION)])) == text)
    responses = ChatOpenAI(base_url=BASE, api_key=TOKEN, model="docent", use_responses_api=True).invoke(QUESTION)
    check("langchain-openai: responses", text in str(responses.content), responses.content)
    vectors = OpenAIEmbeddings(base_url=BASE, api_key=TOKEN, model="docent", check_embedding_ctx_length=False)
    check("langchain-openai: embeddings", len(vectors.embed_query("pump")) > 100)


def check_litellm():
    ask = {"model": "openai/docent", "api_base": BASE, "api_key": TOKEN, "messages": ASKED}
    message = litellm.completion(**ask).choices[0].message
    check("litellm: chat", "noon" in message.content, message)
    check("litellm: annotations", citation(message.annotations[0]) == ("Pump", True, 3), message)
    chunks = list(litellm.completion(**ask, stream=True))
    check("litellm: stream", "".join(c.choices[0].delta.content or "" for c in chunks) == message.content, chunks)
    try:
        litellm.completion(**{**ask, "model": "openai/docent/secret"})
    except litellm.NotFoundError:
        check("litellm: unknown model", True)
    else:
        check("litellm: unknown model", False, "no error")
    vectors = litellm.embedding(model="openai/docent", api_base=BASE, api_key=TOKEN, input=["pump"], encoding_format="float")
    check("litellm: embeddings", len(vectors.data[0]["embedding"]) > 100)


check_openai()
check_langchain()
check_litellm()
