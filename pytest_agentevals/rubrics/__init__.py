"""Rubrics: weighted criteria that a judge scores one by one; what they say, how they are asked and how they add up."""
