"""Callbacks: shops are told when a parcel moves."""

from flask import Blueprint, jsonify, request

from api.services import callbacks

bp = Blueprint("hooks", __name__)


@bp.post("/hooks/try")
def try_hook():
    target = request.get_json()["url"]
    return jsonify(status=callbacks.ping(target))


@bp.post("/hooks/partner")
def try_partner_hook():
    target = request.get_json()["url"]
    return jsonify(status=callbacks.ping_partner(target))
