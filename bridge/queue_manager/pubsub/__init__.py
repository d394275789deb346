"""Publish/subscribe: topics, subscriptions, publications, retained publications (mqi.md 17)."""
