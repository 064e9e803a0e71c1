"""Carts that a browser brings along, packed into one string."""

from flask import Blueprint, jsonify, request

from api.services import carts

bp = Blueprint("carts", __name__)


@bp.post("/carts/restore")
def restore_cart():
    packed = request.cookies.get("cart", "")
    return jsonify(carts.restore(packed))


@bp.post("/carts/transfer")
def transfer_cart():
    packed = request.form["cart"]
    return jsonify(carts.transfer(packed))
