"""The questions that airtcp answers: one sub-room each, over what every result can do."""
