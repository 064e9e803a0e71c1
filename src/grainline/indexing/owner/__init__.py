"""The owner of a home: one process that follows its work trees and answers for the others."""
