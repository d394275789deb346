"""What is told of judged captures: the summary that reports are made of, and its forms."""

from __future__ import annotations
