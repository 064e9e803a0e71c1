"""Text from language models: opt-in, named by the user, never needed. Nothing here is on by default."""
