"""What numbers mean, in words: pure functions of results, which terminal and page share."""
