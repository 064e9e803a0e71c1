"""Customs papers that were uploaded for a parcel."""

from flask import Blueprint, Response, request

from api.services import archive

bp = Blueprint("documents", __name__)


@bp.get("/documents")
def show_document():
    wanted = request.args["name"]
    return Response(archive.load_document(wanted), mimetype="application/pdf")


@bp.get("/documents/thumbnail")
def show_thumbnail():
    wanted = request.args["name"]
    return Response(archive.load_thumbnail(wanted), mimetype="image/png")
