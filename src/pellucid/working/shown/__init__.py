"""The workings themselves, one module for each module of estimators or functions. No rendering code belongs here."""
