"""What does a congestion control do, by the criteria that the IETF asks of a new one?"""
