"""What the five modules do. Packages that are not there are fakes."""

import hashlib
import hmac
import smtplib
import sqlite3
import sys
import time
import types

MADE = []


class Api:
    """Answers and remembers."""

    def __init__(self, name, answer):
        self.name, self.answer = name, answer

    def __getattr__(self, verb):
        def call(*args, **options):
            MADE.append((self.name, verb, args, options))
            return self.answer

        return call


stripe = types.ModuleType("stripe")
stripe.PaymentIntent = Api("intent", {"status": "succeeded", "latest_charge": "ch_1"})
stripe.Refund = Api("refund", "re_1")
stripe.PaymentMethod = Api("method", {"data": [{"id": "pm_1", "card": {"last4": "4242"}}]})
sys.modules["stripe"] = stripe

import auth  # noqa: E402
import cache  # noqa: E402
import database  # noqa: E402
import notification  # noqa: E402
import payment  # noqa: E402


def raises(error, call, *args):
    try:
        call(*args)
    except error:
        return True
    return False


def test_passwords():
    kept = auth.hash_password("open sesame", b"salt of sixteen!")
    assert kept != auth.hash_password("open sesame", b"another of those")
    assert auth.verify_password("open sesame", kept) is True
    assert auth.verify_password("closed sesame", kept) is False


def test_tokens():
    token = auth.issue_token({"id": "ada", "roles": ["admin"]}, b"key")
    claims = auth.decode_token(token, b"key")
    assert claims["sub"] == "ada"
    assert auth.decode_token(token, b"other") is None
    handler = auth.require_role("admin")(lambda claims, value: value + 1)
    assert handler(claims, 1) == 2
    assert raises(PermissionError, handler, {"roles": []}, 1)
    assert raises(PermissionError, handler, None, 1)
    auth.revoke_session(token)
    assert auth.decode_token(token, b"key") is None


def test_cache():
    cache.store("a:1", 1)
    cache.store("a:2", 2)
    cache.store("b:1", 3)
    cache.store("old", 4, -1)
    assert cache.lookup("old") is None
    assert cache.evict_expired() == 1
    cache.invalidate_prefix("a:")
    assert [cache.lookup(key, 0) for key in ("a:1", "a:2", "b:1")] == [0, 0, 3]


def test_memoize():
    calls = []

    @cache.memoize(60)
    def double(number):
        calls.append(number)
        return 2 * number

    assert [double(2), double(2), double(3), double(2)] == [4, 4, 6, 4]
    assert calls == [2, 3]


def test_database():
    connection = database.connect(":memory:")
    steps = ["CREATE TABLE person (id INTEGER, name TEXT UNIQUE)", "ALTER TABLE person ADD age"]
    database.apply_migrations(connection, steps[:1])
    database.apply_migrations(connection, steps)
    database.apply_migrations(connection, steps)
    assert database.fetch_all(connection, "PRAGMA user_version") == [{"user_version": 2}]
    database.bulk_insert(connection, "person", ["id", "name"], [(1, "ada"), (2, "bob")])
    found = database.fetch_all(connection, "SELECT name, age FROM person WHERE id > ?", (1,))
    assert found == [{"name": "bob", "age": None}]
    rows = [(3, "eve"), (4, "ada")]
    assert raises(
        sqlite3.IntegrityError, database.bulk_insert, connection, "person", ["id", "name"], rows
    )
    assert len(database.fetch_all(connection, "SELECT * FROM person")) == 2
    try:
        with database.transaction(connection):
            connection.execute("DELETE FROM person")
            raise KeyError
    except KeyError:
        pass
    assert len(database.fetch_all(connection, "SELECT * FROM person")) == 2


def test_money():
    items = [{"price": 1000, "quantity": 2}, {"price": 500, "quantity": 1}]
    assert payment.calculate_order_total(items) == 2975
    assert payment.calculate_order_total(items, 500) == 2380
    payment.create_payment_intent({"stripe_id": "cus_1", "discount": 500}, items)
    name, verb, _, options = MADE[-1]
    assert (name, verb, options["amount"], options["customer"]) == ("intent", "create", 2380, "cus_1")
    payment.create_payment_intent({"stripe_id": "cus_2"}, items)
    assert MADE[-1][3]["amount"] == 2975
    assert raises(ValueError, payment.create_payment_intent, {"stripe_id": "cus_1"}, [])
    assert payment.confirm_payment("pi_1", "pm_1") == "ch_1"
    assert payment.refund_charge("ch_1", 100) == "re_1"
    assert MADE[-1][3] == {"charge": "ch_1", "amount": 100}
    assert raises(ValueError, payment.refund_charge, "ch_1", 0)
    assert payment.list_cards({"stripe_id": "cus_1"}) == [("pm_1", "4242")]


def test_webhooks():
    seal = hmac.new(b"whsec", b"17.{}", hashlib.sha256).hexdigest()
    assert payment.verify_webhook("{}", f"t=17,v1={seal}", b"whsec") is True
    assert payment.verify_webhook("{}", f"t=18,v1={seal}", b"whsec") is False


def test_messages():
    sent, slept = [], []
    time.sleep, before = slept.append, time.sleep
    smtplib.SMTP = None
    try:
        failures = [OSError(), None]

        def send(*args):
            error = failures.pop(0) if failures else None
            if error:
                raise error
            sent.append(args)

        notification.enqueue(send, "ada", "hello")
        notification.enqueue(send, "bob", "bye")
        notification.deliver_queue()
    finally:
        time.sleep = before
    assert sent == [("ada", "hello"), ("bob", "bye")]
    assert slept == [1]
    assert notification.render_template("Dear $name", {"name": "Ada"}) == "Dear Ada"
    gateway = Api("gateway", None)
    notification.send_sms(gateway, "+49", "x" * 200)
    assert MADE[-1][3]["json"] == {"to": "+49", "text": "x" * 160}
