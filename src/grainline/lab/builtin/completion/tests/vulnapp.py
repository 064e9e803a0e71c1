"""What the API of the parcel desk hands on. Web framework, disk, network, shell and database are fakes."""

import base64
import hashlib
import hmac
import json
import os
import sys
import types

os.environ["CART_KEY"] = "key of the carts"
HANDED = []


def module(name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    sys.modules[name] = made
    return made


class Blueprint:
    def __init__(self, *names):
        self.names = names

    def route(self, path):
        return lambda handler: handler

    get = post = route


class Response:
    def __init__(self, body, mimetype=""):
        self.body, self.mimetype = body, mimetype


request = types.SimpleNamespace()
session = {}
flask = module(
    "flask",
    Blueprint=Blueprint,
    Flask=object,
    Response=Response,
    request=request,
    session=session,
    jsonify=lambda *args, **named: ("json", args[0] if args else named),
    redirect=lambda target: ("redirect", target),
)
requests = module("requests")
requests.post = lambda url, json, timeout: (
    HANDED.append(("post", url, json)) or types.SimpleNamespace(status_code=204)
)
module("subprocess", run=lambda line, **options: HANDED.append(("shell", line)))
module("pickle", dumps=lambda value: json.dumps(value).encode(), loads=json.loads)

from api.platform import disk, store  # noqa: E402
from api.routes import accounts, carts, documents, hooks, parcels  # noqa: E402
from api.services import archive, callbacks  # noqa: E402

ROWS = {}


class Connection:
    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def execute(self, statement, values):
        HANDED.append(("sql", statement, tuple(values)))
        return ROWS.get(statement.split()[3], [])


store.sqlite3 = types.SimpleNamespace(connect=lambda path: Connection(), Row=dict)
disk.open = lambda place, mode: Disk(place)


class Disk:
    def __init__(self, place):
        self.place = place

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def read(self, most):
        return f"{self.place} {most}"


def asks(**parts):
    request.__dict__.clear()
    request.__dict__.update({"args": {}, "form": {}, "cookies": {}, **parts})


def refused(call, *args):
    try:
        call(*args)
    except PermissionError:
        return True
    return False


def test_accounts():
    digest = hashlib.scrypt(b"secret", salt=b"ada", n=2**14, r=8, p=1).hex()
    ROWS["people"] = [{"id": 7, "digest": digest}]
    asks(form={"name": "ada", "password": "secret"}, args={"next": "https://other.example"})
    assert accounts.login() == ("redirect", "https://other.example")
    assert session == {"user": 7}
    assert HANDED[-1] == ("sql", "SELECT * FROM people WHERE name = ?", ("ada",))
    asks(form={"name": "ada", "password": "wrong"})
    assert refused(accounts.login)
    asks(args={"next": "https://other.example"})
    assert accounts.logout() == ("redirect", "/")
    assert session == {}
    asks(args={"next": "/parcels"})
    assert accounts.logout() == ("redirect", "/parcels")


def test_carts():
    cart = {"items": [{"grams": 200, "count": 3}, {"grams": 50, "count": 1}]}
    packed = base64.urlsafe_b64encode(json.dumps(cart).encode()).decode()
    asks(cookies={"cart": packed})
    assert carts.restore_cart() == ("json", {"items": cart["items"], "weight": 650})
    seal = hmac.new(b"key of the carts", packed.encode(), hashlib.sha256).hexdigest()
    asks(form={"cart": f"{packed}.{seal}"})
    assert carts.transfer_cart() == ("json", {"weight": 650})
    asks(form={"cart": f"{packed}.{'0' * 64}"})
    assert refused(carts.transfer_cart)


def test_documents():
    asks(args={"name": "a.pdf"})
    found = documents.show_document()
    assert found.body == f"{archive.PAPERS / 'a.pdf'} 10000000"
    assert found.mimetype == "application/pdf"
    asks(args={"name": "a.png"})
    found = documents.show_thumbnail()
    assert found.body == f"{archive.PICTURES / 'a.png'} 10000000"
    assert found.mimetype == "image/png"
    asks(args={"name": "../papers/a.pdf"})
    assert refused(documents.show_thumbnail)


def test_hooks():
    asks(get_json=lambda: {"url": "http://anywhere.example"})
    assert hooks.try_hook() == ("json", {"status": 204})
    assert HANDED[-1] == ("post", "http://anywhere.example", {"event": "ping"})
    assert refused(hooks.try_partner_hook)
    partner = f"https://{min(callbacks.PARTNERS)}/moved"
    asks(get_json=lambda: {"url": partner})
    assert hooks.try_partner_hook() == ("json", {"status": 204})
    assert HANDED[-1] == ("post", partner, {"event": "ping"})


def test_parcels():
    ROWS["parcels"], ROWS["scans"] = [{"id": 1}], [{"place": "Ulm"}, {"place": "<Bonn>"}]
    asks(args={"q": "red box"})
    assert parcels.list_parcels() == ("json", [{"id": 1}])
    where = "description LIKE '%red%' AND description LIKE '%box%'"
    assert HANDED[-1] == ("sql", f"SELECT * FROM parcels WHERE {where}", ())
    asks(args={"sender": "ada"})
    assert parcels.list_by_sender() == ("json", [{"id": 1}])
    assert HANDED[-1] == ("sql", "SELECT * FROM parcels WHERE sender = ?", ("ada",))
    asks(form={"printer": "p1; x"})
    assert parcels.print_label(5) == {"printed": 5}
    assert HANDED[-1] == ("shell", "lp -n 1 -d p1; x /var/spool/labels/5.pdf")
    assert parcels.print_receipt(5) == {"printed": 5}
    assert HANDED[-1] == ("shell", "lp -n 1 -d 'p1; x' /var/spool/receipts/5.pdf")


def test_pages():
    ROWS["scans"] = [{"place": "Ulm"}, {"place": "<Bonn>"}]
    asks(args={"greeting": "<i>Hi</i>", "caption": "<i>Hi</i>"})
    body = "<p>It is in &lt;Bonn&gt;.</p></body></html>"
    shown = parcels.parcel_page(5)
    assert HANDED[-1] == ("sql", "SELECT * FROM scans WHERE parcel = ?", (5,))
    assert shown.body == "<!doctype html><html><body><h1><i>Hi</i></h1>" + body
    assert parcels.parcel_card(5).body == (
        "<!doctype html><html><body><h1>&lt;i&gt;Hi&lt;/i&gt;</h1>" + body
    )
    ROWS["scans"] = []
    assert "unknown" in parcels.parcel_card(5).body
