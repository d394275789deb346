"""Programs that call the message queue interface over a client channel: calls of the machine to the queue manager."""

from mqbridge.bridge.agents.svrconn.agent import ServerConnectionAgent
from mqbridge.bridge.agents.svrconn.hconn import Hconn

__all__ = ["Hconn", "ServerConnectionAgent"]
