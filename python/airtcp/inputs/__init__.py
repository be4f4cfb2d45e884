"""What a caller gives (paths, arrays, options, quantities), made into what the extension reads."""
