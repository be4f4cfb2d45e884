"""What happened in this capture?"""
