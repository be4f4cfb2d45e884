"""What is this trace? Its statistics, conversions, and models fitted to it."""
