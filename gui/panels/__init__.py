"""One file a tab. A panel reads the store and calls the session; it holds no state of a run."""
