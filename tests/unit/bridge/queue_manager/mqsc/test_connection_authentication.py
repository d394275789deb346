"""Connection authentication as it is defined, kept and shown (channels.md 15); programs that connect come elsewhere."""

from __future__ import annotations

import pytest

from mqbridge.bridge.queue_manager.objects import Objects
from support.queue_manager.mqsc_bench import NOW, Bench

pytestmark = pytest.mark.spec("channels.md 15")

CHECKS = ["NONE", "OPTIONAL", "REQUIRED", "REQDADM"]


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.good("DEFINE AUTHINFO(A) AUTHTYPE(IDPWOS)")
    bench.good("DEFINE AUTHINFO(L) AUTHTYPE(IDPWLDAP) CONNAME('ldap(389)')")
    return bench


def test_the_supplied_object_is_the_one_in_use(bench: Bench) -> None:
    assert bench.rows("DISPLAY QMGR CONNAUTH")[0]["CONNAUTH"] == "DEV.AUTHINFO"
    for name, check in (("DEV.AUTHINFO", "ASQMGR"), ("SYSTEM.DEFAULT.AUTHINFO.IDPWOS", "REQDADM")):
        (row,) = bench.rows(f"DISPLAY AUTHINFO({name}) ALL")
        assert (row["AUTHTYPE"], row["CHCKLOCL"], row["CHCKCLNT"], row["FAILDLAY"], row["ADOPTCTX"]) == (
            "IDPWOS", "OPTIONAL", check, "1", "YES",
        )  # fmt: skip


@pytest.mark.parametrize(("given", "name"), [("A", "A"), ("' '", "")])
def test_the_queue_manager_names_another_and_is_told_to_take_it_over(bench: Bench, given: str, name: str) -> None:
    bench.good(f"ALTER QMGR CONNAUTH({given})")
    assert bench.good("REFRESH SECURITY TYPE(CONNAUTH)").responses[0].amq == "AMQ8560"
    again = Objects("EARTH", NOW)
    again.load(sorted(bench.manager.records.items()))
    assert again.manager["CONNAUTH"] == name


@pytest.mark.parametrize("name", ["A", "L"])
@pytest.mark.parametrize(
    "given",
    [
        "CHCKCLNT(ASQMGR)",
        *(f"{attribute}({check})" for attribute in ("CHCKCLNT", "CHCKLOCL") for check in CHECKS),
        "FAILDLAY(0)", "FAILDLAY(60)", "ADOPTCTX(YES)", "ADOPTCTX(NO)",
    ],
)  # fmt: skip
def test_what_an_object_says_is_kept_and_shown(bench: Bench, name: str, given: str) -> None:
    kind = {"A": "IDPWOS", "L": "IDPWLDAP"}[name]
    bench.good(f"ALTER AUTHINFO({name}) AUTHTYPE({kind}) {given}")
    keyword, _, value = given[:-1].partition("(")
    assert bench.rows(f"DISPLAY AUTHINFO({name}) {keyword}")[0][keyword] == value


@pytest.mark.parametrize(
    "given", ["CHCKCLNT(MAYBE)", "CHCKLOCL(1)", "CHCKLOCL(ASQMGR)", "FAILDLAY(61)", "FAILDLAY(-1)", "ADOPTCTX(X)"]
)
def test_wrong_values_are_refused(bench: Bench, given: str) -> None:
    bench.bad(f"ALTER AUTHINFO(A) AUTHTYPE(IDPWOS) {given}", "AMQ8405")


@pytest.mark.parametrize("kind", ["IDPWOS", "IDPWLDAP"])
def test_types(bench: Bench, kind: str) -> None:
    names = bench.names(f"DISPLAY AUTHINFO(*) AUTHTYPE({kind})")
    assert {"IDPWOS": "A", "IDPWLDAP": "L"}[kind] in names
    bench.bad("DEFINE AUTHINFO(B) AUTHTYPE(OTHER)", "AMQ8405")


def test_the_password_of_a_directory_is_not_shown(bench: Bench) -> None:
    bench.good("ALTER AUTHINFO(L) AUTHTYPE(IDPWLDAP) LDAPUSER('cn=reader') LDAPPWD('secret')")
    (row,) = bench.rows("DISPLAY AUTHINFO(L) ALL")
    assert row["LDAPUSER"] == "cn=reader"
    assert "secret" not in str(row)
