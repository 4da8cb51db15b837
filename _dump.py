import sys, json
from kg.connect import open_graph
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from services.questions.draft import Fact
from services.questions.checkable import *
from services.questions.namesakes import *
corpus=sys.argv[1]; allf=len(sys.argv)>2
with open_graph(Settings(), Silent()) as graph:
    rows=[dict(r) for r in graph.rows(query("paths/list_edge_facts"), corpus=corpus)]
seen=set()
n=0
for r in rows:
    f=Fact(0,r["claim"],r["id"],r["subject"],r["predicate"] or "",r["object"],"",r["sentence"] or "",statement=r["statement"] or "")
    k=(f.subject,f.predicate,f.object)
    if k in seen: continue
    seen.add(k); n+=1
    d=doubt_about(f,r["from_type"],r["to_type"],0.6)
    if d and not allf: continue
    print(f"{f.subject} [{r['from_type']}] | {f.predicate} | {f.object} [{r['to_type']}] {confidence(f,r['from_type'],r['to_type']):.2f}", ("!! "+d) if d else "")
    print("     ", f.statement or f.sentence)
print(n, len(rows))
