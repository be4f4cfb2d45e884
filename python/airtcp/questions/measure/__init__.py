"""The question `measure`: what is the path between two hosts?"""
