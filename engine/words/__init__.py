"""The English words of all that can be wrong or be told, by code; one file a subject."""
