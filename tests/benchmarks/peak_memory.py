#!/usr/bin/env python3
"""Runs a command and prints its peak resident memory as a JSON line, with the keys of the benchmark programs."""
import json, resource, subprocess, sys

done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(json.dumps({"impl": "lengthwise", "rss_mib": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024}))
sys.exit(done.returncode)
