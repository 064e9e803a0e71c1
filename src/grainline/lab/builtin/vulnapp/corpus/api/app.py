"""The application: every blueprint under one roof."""

from flask import Flask

from api.routes import accounts, carts, documents, hooks, parcels


def create_app():
    app = Flask(__name__)
    for module in (accounts, carts, documents, hooks, parcels):
        app.register_blueprint(module.bp)
    return app
