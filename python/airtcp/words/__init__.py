"""How an answer is said: its sentences, its tables, and names that a person would say."""
