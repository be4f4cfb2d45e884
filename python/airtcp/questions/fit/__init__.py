"""What does the loss of this link depend on?"""
