"""The grammar of selectors, for an LALR(1) parser (mqi.md 18.1, the documented subset of SQL92).

Conditions and values share their rules, since ``(a)`` may be either until more is read; `building` tells them apart.
Signs and NOT may be repeated. Numbers may not touch a letter behind them.
"""

from __future__ import annotations

from typing import Final

GRAMMAR: Final = r"""
?disjunction: conjunction (_OR conjunction)*
?conjunction: negation (_AND negation)*
?negation: predicate
         | NOT negation -> negated

?predicate: sum
          | sum COMPARISON sum -> comparison
          | sum [NOT] _BETWEEN sum _AND sum -> between
          | sum [NOT] _IN "(" STRING ("," STRING)* ")" -> membership
          | sum [NOT] _LIKE STRING [_ESCAPE STRING] -> like
          | sum _IS [NOT] _NULL -> null

?sum: product ((PLUS | MINUS) product)*
?product: factor ((TIMES | OVER) factor)*
?factor: primary
       | (PLUS | MINUS) factor -> signed

?primary: STRING -> string
        | BYTES -> byte_string
        | APPROXIMATE -> approximate
        | HEXADECIMAL -> hexadecimal
        | OCTAL -> octal
        | DECIMAL -> decimal
        | TRUE -> true
        | FALSE -> false
        | NAME -> name
        | "(" disjunction ")" -> group

_OR: "OR"i
_AND: "AND"i
NOT: "NOT"i
_BETWEEN: "BETWEEN"i
_IN: "IN"i
_LIKE: "LIKE"i
_ESCAPE: "ESCAPE"i
_IS: "IS"i
_NULL: "NULL"i
TRUE: "TRUE"i
FALSE: "FALSE"i

COMPARISON: "<>" | "<=" | ">=" | "=" | "<" | ">"
PLUS: "+"
MINUS: "-"
TIMES: "*"
OVER: "/"

STRING: /'(?:[^']|'')*+'/
BYTES: /"0[xX](?:[0-9A-Fa-f]{2})+"/
APPROXIMATE.3: /(?:[0-9]++\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?(?![\w$.])/
             | /[0-9]+(?:[eE][+-]?[0-9]+[dDfF]?|[dDfF])(?![\w$.])/
HEXADECIMAL.2: /0[xX][0-9A-Fa-f]+[lL]?(?![\w$.])/
OCTAL.2: /0[0-7]+[lL]?(?![\w$.])/
DECIMAL.1: /(?:0|[1-9][0-9]*)[lL]?(?![\w$.])/
NAME: /(?:[^\W\d]|\$)(?:[\w$.])*/i

%ignore /[ \t\r\n\f]+/
"""
