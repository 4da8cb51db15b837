import sys, random, json
from kg.connect import open_graph
from kg.progress import Silent
from kg.settings import Settings
from benchmarks.questions_sample import draw, read
corpus, per, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open_graph(Settings(), Silent()) as graph:
    qs=[read(graph,i) for i in draw(graph, corpus, per, 0, seed)]
for n,q in enumerate(qs,1):
    print(f"#{n} [{q.hops}] {q.text}  => {q.answer}")
    for e in q.evidence: print(f"    {e.fact}   <<{e.sentence[:300]}>>")
