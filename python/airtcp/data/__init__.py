"""What a result is made of: types of documents, the metrics, tables, intervals, safe text."""
