"""Money: payments, charges and refunds through Stripe."""

import hashlib
import hmac

import stripe


def verify_webhook(payload, header, secret):
    """Check the signature of a Stripe event before it is believed."""
    parts = dict(part.split("=", 1) for part in header.split(","))
    signed = f"{parts['t']}.{payload}".encode()
    return hmac.compare_digest(hmac.new(secret, signed, hashlib.sha256).hexdigest(), parts["v1"])


def calculate_order_total(items, discount=0, tax_rate=0.19):
    """Add up prices, take the discount off, add the tax; in cents."""
    subtotal = sum(item["price"] * item["quantity"] for item in items)
    reduced = max(0, subtotal - discount)
    tax = round(reduced * tax_rate)
    return reduced + tax


def create_payment_intent(customer, items, currency="eur"):
    """Start a Stripe payment for what is in the basket."""
    if not items:
        raise ValueError("the basket is empty")
    return stripe.PaymentIntent.create(
        amount=calculate_order_total(items, customer.get("discount", 0)),
        currency=currency,
        customer=customer["stripe_id"],
        payment_method_types=["card"],
        metadata={"items": len(items)},
    )


def confirm_payment(intent_id, payment_method):
    """Charge the card of a payment that was started."""
    intent = stripe.PaymentIntent.confirm(intent_id, payment_method=payment_method)
    if intent["status"] != "succeeded":
        raise RuntimeError(f"payment {intent_id} was not charged: {intent['status']}")
    return intent["latest_charge"]


def refund_charge(charge_id, amount=None):
    """Give back a charge, all of it or a part."""
    options = {} if amount is None else {"amount": amount}
    if amount is not None and amount <= 0:
        raise ValueError(f"cannot refund {amount}")
    return stripe.Refund.create(charge=charge_id, **options)


def list_cards(customer):
    """Cards that a customer saved for later payments with Stripe."""
    found = stripe.PaymentMethod.list(customer=customer["stripe_id"], type="card")
    return [(card["id"], card["card"]["last4"]) for card in found["data"]]
