"""One file per question set: JSON lines become `Question` values; their content is never copied."""
