// Who listens also needs the service that answers.
@_exported import EaselService
