"""What does this link do to TCP?"""
