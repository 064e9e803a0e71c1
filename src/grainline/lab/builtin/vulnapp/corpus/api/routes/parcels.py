"""Parcels: look them up, print their labels, show where they are."""

from flask import Blueprint, jsonify, request

from api.services import labels, pages, tracking

bp = Blueprint("parcels", __name__)


@bp.get("/parcels")
def list_parcels():
    term = request.args.get("q", "")
    return jsonify(tracking.find_parcels(term))


@bp.get("/parcels/by-sender")
def list_by_sender():
    sender = request.args.get("sender", "")
    return jsonify(tracking.find_by_sender(sender))


@bp.post("/parcels/<int:number>/label")
def print_label(number):
    printer = request.form["printer"]
    return labels.print_label(number, printer)


@bp.post("/parcels/<int:number>/receipt")
def print_receipt(number):
    printer = request.form["printer"]
    return labels.print_receipt(number, printer)


@bp.get("/parcels/<int:number>/page")
def parcel_page(number):
    greeting = request.args.get("greeting", "Your parcel")
    return pages.parcel_page(greeting, tracking.position(number))


@bp.get("/parcels/<int:number>/card")
def parcel_card(number):
    caption = request.args.get("caption", "Your parcel")
    return pages.parcel_card(caption, tracking.position(number))
