// The manager's users need the values and protocols of the core too, and the default cache.
@_exported import EaselCore
@_exported import EaselTiers
