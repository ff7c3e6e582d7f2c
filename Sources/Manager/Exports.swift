// The manager's users need the values and protocols of the core too, and the default cache.
@_exported import EaselCore
@_exported import EaselTiers
import EaselHTTP

/// A body that is still arriving; programs and tests of the package know it from here.
package typealias ReceivedBytes = EaselHTTP.ReceivedBytes
