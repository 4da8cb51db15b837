import sys, re
from collections import Counter
from dataclasses import replace
from kg.connect import open_graph
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from services.questions.draft import Fact
from services.questions.checkable import *
from services.questions.singling_out import unspecific
with open_graph(Settings(), Silent()) as graph:
    rows=[dict(r) for r in graph.rows(query("paths/list_edge_facts"), corpus=sys.argv[1])]
c=Counter(); pat=sys.argv[2] if len(sys.argv)>2 else None
for r in rows:
    f=Fact(0,r["claim"],r["id"],r["subject"],r["predicate"] or "",r["object"],"",r["sentence"] or "",statement=r["statement"] or "")
    e=(r["from_type"],r["to_type"])
    w=doubt_about(f,*e,0.6)
    k=re.sub(r'"[^"]*"|\d\.\d+|'+re.escape(f.subject)+'|'+re.escape(f.object),'X',w) or "ok"
    if k!="ok": c[k]+=1
    else:
        a,b=bool(unspecific(f,*e)),bool(unspecific(replace(f,reversed=True),*e,asked=False))
        k={(0,0):"both",(0,1):"forward only",(1,0):"back only",(1,1):"neither"}[(a,b)]
        c[k]+=1
    if pat and re.search(pat,k): print(f"{f.subject} [{e[0]}] | {f.predicate} | {f.object} [{e[1]}] << {f.statement[:160]} >> {w}")
for k,v in c.most_common(): print(v,k)
