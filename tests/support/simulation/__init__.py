"""Two whole queue managers under a fake clock, on a faulty network and on stores that may crash at every operation.

One seed decides everything, so a failing seed is the bug report: ``make simulate SEED=n`` prints its event log.
"""
