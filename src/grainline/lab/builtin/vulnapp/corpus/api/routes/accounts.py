"""Logging in and out; afterwards people go on where they were."""

from flask import Blueprint, request, session

from api.platform import navigation
from api.services import people

bp = Blueprint("accounts", __name__)


@bp.post("/login")
def login():
    session["user"] = people.check(request.form["name"], request.form["password"])
    following = request.args.get("next", "/")
    return navigation.go_on(following)


@bp.post("/logout")
def logout():
    session.clear()
    following = request.args.get("next", "/")
    return navigation.go_home(following)
