// What can be clicked on, and how the one that is selected is shown.

import {Color, Intersection} from 'three';

export interface Selectable {
  kind: 'body' | 'muscle' | 'surface' | 'marker' | 'deforming';
  index: number;
}

/** What objects of the picture carry as their userData, if they can be clicked on. */
export interface Target {
  kind: Selectable['kind'];
  pick: (hit: Intersection) => Selectable | null;
}

/** Added to the colour of what is selected. */
export const light = new Color(0x2b5f8a);
