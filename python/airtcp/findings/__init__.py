"""Results in words: pure functions of results, shared by terminal and page."""
