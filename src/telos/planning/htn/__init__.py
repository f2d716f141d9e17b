"""Hierarchical task networks: plan_tasks, load_tasks."""
