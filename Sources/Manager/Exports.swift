// Who uses the manager uses the values and protocols of the core, and its default cache.
@_exported import EaselCore
@_exported import EaselTiers
