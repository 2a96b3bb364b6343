"""Agents of BAF that talk to docent's agents. Run .ci/baf-clients.

python agents.py oracle PORT: answers other agents with a forecast.
python agents.py asker PORT URL: passes users' messages to the agent at URL, and its replies to users.
"""

import sys

from baf.core.agent import Agent
from baf.core.session import Session
from baf.library.transition.events.base_events import ReceiveTextEvent
from baf.platforms import websocket

role, port, *url = sys.argv[1:]
agent = Agent(role)
agent.set_property(websocket.WEBSOCKET_PORT, int(port))
agent.use_websocket_platform(use_ui=False)


def forward_body(session: Session):
    session.send_message_to_websocket(url[0], session.event.message)


def answer_body(session: Session):
    text = session.event.message
    session.reply("docent says: " + text if role == "asker" else "It will rain in " + text + ".")


idle = agent.new_state("idle", initial=True)
answer = agent.new_state("answer")
answer.set_body(answer_body)
answer.go_to(idle)
if role == "asker":
    forward = agent.new_state("forward")
    forward.set_body(forward_body)
    forward.go_to(idle)
    idle.when_event(ReceiveTextEvent()).with_condition(lambda session: session.event.human).go_to(forward)
idle.when_event(ReceiveTextEvent()).with_condition(lambda session: not session.event.human).go_to(answer)
agent.run()
