"""What do the flows of this scenario get, and what limits them?"""
