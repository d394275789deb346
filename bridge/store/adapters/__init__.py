"""Storage adapters: where `bridge.store.adapter_store` keeps its objects (mqe.md 20.1)."""
