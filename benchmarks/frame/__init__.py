"""The frame of the benchmarks: what a workload declares, how it is run, judged and reported.

=================  =====================================================================================
``declare``        the nouns: workload, contender, quality
``registry``       finds the families' workloads
``data``           makes each data set once and caches it, so that every contender reads the same bits
``environment``    the environment of a contender's process: threads, waiting policy, named rules
``worker``         the contender's process
``lanes``          the runner's end of it; contenders take turns in rounds
``machine``        processor, other processes' load, a deliberately busy machine
``judge``          the better variant, ratios, quality, goals
``report``         the table; ``results`` merges it into ``RESULTS.md``
``cli``            the command line
=================  =====================================================================================
"""
