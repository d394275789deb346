"""Publish/subscribe: topics, subscriptions, publications, retained publications (mqi.md 17)."""

from mqbridge.bridge.queue_manager.objects.default_objects import RETAINED_QUEUE

from .facade import PubSub
from .requests import MANAGED_OPEN_OPTIONS, SubscriptionRequest
from .subscription import Subscription, SubscriptionHandle
from .topic_attributes import TopicAttributes

__all__ = [
    "MANAGED_OPEN_OPTIONS",
    "RETAINED_QUEUE",
    "PubSub",
    "Subscription",
    "SubscriptionHandle",
    "SubscriptionRequest",
    "TopicAttributes",
]
