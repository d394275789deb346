"""Server connections: the MQI calls of client programs, made at the queue manager."""

from mqbridge.bridge.agents.svrconn.agent import ServerConnectionAgent
from mqbridge.bridge.agents.svrconn.hconn import Hconn

__all__ = ["Hconn", "ServerConnectionAgent"]
