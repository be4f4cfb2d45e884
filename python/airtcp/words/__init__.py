"""How an answer is said: sentences, numbers, lists, units, columns."""
